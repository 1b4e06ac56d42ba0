// What the page does beyond reading and forms: picking stones, live news, branches, keys.
import { Board } from "/assets/board.js";
import { bindKeys } from "/assets/keys.js";
import { listen } from "/assets/live.js";
import { bindTree } from "/assets/tree.js";

const say = (words) => {
  const region = document.getElementById("say");
  if (region) region.textContent = words;
};

const element = document.getElementById("board");
const board = element ? new Board(element, say) : null;

// Switches of what is drawn on the board are kept for the next position.
for (const box of document.querySelectorAll("input[data-layer]")) {
  const name = `layer-${box.dataset.layer}`;
  const kept = localStorage.getItem(name);
  if (kept !== null) box.checked = kept === "1";
  box.addEventListener("change", () => localStorage.setItem(name, box.checked ? "1" : "0"));
}

// A question before what cannot be taken back.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset?.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});

board?.bindTable();
bindTree();
listen({ say, changed: () => board?.bindTable() });
bindKeys({ board });
