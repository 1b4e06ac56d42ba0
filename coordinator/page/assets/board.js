// The board: one tab stop, arrow keys, and two stones that make a move.
import { texts } from "/assets/texts.js";

const SVG = "http://www.w3.org/2000/svg";
const STEPS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-5, 0], PageDown: [5, 0], Home: [0, -99], End: [0, 99],
};

export class Board {
  constructor(element, say) {
    this.element = element;
    this.say = say;
    this.stones = Number(element.dataset.stones);
    this.picked = [];
    this.field = document.querySelector("input[name=move]");
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("click", (event) => {
      const cell = event.target.closest("[role=gridcell]");
      if (cell) this.pick(cell);
    });
    element.addEventListener("focusin", (event) => {
      const cell = event.target.closest("[role=gridcell]");
      if (cell) this.makeTabStop(cell);
    });
    element.addEventListener("pointerover", (event) => {
      this.lightRows(event.target.closest("[role=gridcell]")?.id);
    });
    element.addEventListener("pointerleave", () => this.lightRows());
  }

  rows() {
    return [...this.element.querySelectorAll("[role=row]")].map((row) => [
      ...row.querySelectorAll("[role=gridcell]"),
    ]);
  }

  makeTabStop(cell) {
    for (const other of this.element.querySelectorAll('[role=gridcell][tabindex="0"]')) {
      other.setAttribute("tabindex", "-1");
    }
    cell.setAttribute("tabindex", "0");
  }

  key(event) {
    const cell = event.target.closest("[role=gridcell]");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " || event.key === "Enter") {
      this.pick(cell);
    } else if (event.key === "Escape" || event.key === "Backspace") {
      this.unpick();
    } else if (STEPS[event.key]) {
      const rows = this.rows();
      const row = rows.findIndex((cells) => cells.includes(cell));
      const column = rows[row].indexOf(cell);
      const clamp = (value, end) => Math.max(0, Math.min(end - 1, value));
      const [down, right] = STEPS[event.key];
      rows[clamp(row + down, rows.length)][clamp(column + right, rows[row].length)].focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  pick(cell) {
    if (!("playable" in this.element.dataset)) return;
    const name = cell.id.toUpperCase();
    if (this.picked.includes(cell)) {
      this.picked = this.picked.filter((other) => other !== cell);
      this.show();
      this.say(`${name} ${texts.takenBack}`);
      return;
    }
    if (/, (black|white)/.test(cell.getAttribute("aria-label"))) {
      this.say(`${name} ${texts.isTaken}`);
      return;
    }
    this.picked.push(cell);
    this.show();
    if (this.picked.length < this.stones) {
      this.say(`${name}; ${this.stones - this.picked.length} ${texts.more}`);
      return;
    }
    this.say(`${this.field?.value.toUpperCase()} ${texts.played}`);
    this.field?.form?.requestSubmit(this.field.form.querySelector("button[name=look]"));
  }

  unpick() {
    this.picked = [];
    this.show();
    this.say(texts.stonesTakenBack);
  }

  show() {
    this.draw("picked", this.picked);
    if (this.field) this.field.value = this.picked.map((cell) => cell.id).join(" ");
  }

  // Stones that are not on the board yet.
  draw(group, cells) {
    const stone = (cell) => {
      const circle = document.createElementNS(SVG, "circle");
      circle.setAttribute("class", this.element.dataset.colour);
      circle.setAttribute("cx", Number(cell.getAttribute("x")) + 0.5);
      circle.setAttribute("cy", Number(cell.getAttribute("y")) + 0.5);
      circle.setAttribute("r", "0.46");
      return circle;
    };
    this.element.querySelector(`#${group}`).replaceChildren(...cells.map(stone));
  }

  // Squares of the board and rows of the table light up together.
  lightRows(square) {
    for (const row of document.querySelectorAll("tr[data-squares]")) {
      row.classList.toggle("lit", row.dataset.squares.split(" ").includes(square));
    }
  }

  peek(row) {
    const squares = row?.dataset.squares.split(" ") ?? [];
    this.draw("peek", squares.map((id) => document.getElementById(id)).filter(Boolean));
  }

  bindTable() {
    for (const row of document.querySelectorAll("tr[data-squares]")) {
      row.onpointerenter = () => this.peek(row);
      row.onpointerleave = () => this.peek();
      row.onfocusin = () => this.peek(row);
      row.onfocusout = () => this.peek();
    }
    this.relabel();
  }

  // Squares say which move of the table is on them.
  relabel() {
    const labels = new Map();
    for (const mark of this.element.querySelectorAll(".variation")) {
      labels.set(mark.dataset.at, mark.dataset.label);
    }
    for (const cell of this.element.querySelectorAll("[role=gridcell]")) {
      const [own] = cell.getAttribute("aria-label").split(";");
      const label = labels.has(cell.id) ? `${own}; ${labels.get(cell.id)}` : own;
      if (label !== cell.getAttribute("aria-label")) cell.setAttribute("aria-label", label);
    }
  }
}
