// What the page does beyond reading and forms: picking stones, live news, keys.
import { Board } from "/assets/board.js";
import { listen } from "/assets/live.js";
import { bindKeys } from "/assets/keys.js";

const say = (words) => {
  const region = document.getElementById("say");
  if (region) region.textContent = words;
};

const element = document.getElementById("board");
const board = element ? new Board(element, say) : null;

// Switches of what is drawn on the board are kept for the next position.
for (const box of document.querySelectorAll("input[data-layer]")) {
  const name = box.dataset.layer;
  const kept = localStorage.getItem(`layer-${name}`);
  if (kept !== null) box.checked = kept === "1";
  const show = () => {
    element?.classList.toggle(`hide-${name}`, !box.checked);
    localStorage.setItem(`layer-${name}`, box.checked ? "1" : "0");
  };
  box.addEventListener("change", show);
  show();
}

// A question before what cannot be taken back.
document.addEventListener("submit", (event) => {
  const question = event.target.dataset?.ask;
  if (question && !window.confirm(question)) event.preventDefault();
});

board?.bindTable();
listen({ say, changed: () => board?.bindTable() });
bindKeys({ board });
