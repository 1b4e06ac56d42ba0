// Branches of the tree are fetched when they are opened.
import { texts } from "/assets/texts.js";

export function bindTree(root = document) {
  for (const twist of root.querySelectorAll("a.twist")) {
    twist.setAttribute("role", "button");
    twist.setAttribute("aria-expanded", "false");
    twist.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      toggle(twist);
    });
    twist.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      toggle(twist);
    });
  }
}

async function toggle(twist) {
  const known = twist.parentElement.querySelector(":scope > .branch");
  const isOpen = twist.getAttribute("aria-expanded") === "true";
  twist.setAttribute("aria-expanded", String(!isOpen));
  if (known) {
    known.hidden = isOpen;
    return;
  }
  const branch = document.createElement("div");
  branch.className = "branch";
  branch.textContent = texts.loading;
  twist.parentElement.append(branch);
  const answer = await fetch(twist.dataset.branch);
  if (!answer.ok) {
    location.href = twist.href;
    return;
  }
  branch.innerHTML = await answer.text();
  bindTree(branch);
}
