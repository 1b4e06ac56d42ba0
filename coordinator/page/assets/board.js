// The board: one tab stop, arrow keys, and two stones that make a move.
const SVG = "http://www.w3.org/2000/svg";

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
  }

  cells() {
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
    const steps = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      PageUp: [-5, 0], PageDown: [5, 0], Home: [0, -99], End: [0, 99],
    };
    if (event.key === " " || event.key === "Enter") {
      this.pick(cell);
    } else if (event.key === "Escape" || event.key === "Backspace") {
      this.unpick();
    } else if (steps[event.key]) {
      const rows = this.cells();
      const row = rows.findIndex((cells) => cells.includes(cell));
      const column = rows[row].indexOf(cell);
      const clamp = (value, end) => Math.max(0, Math.min(end - 1, value));
      const [down, right] = steps[event.key];
      rows[clamp(row + down, rows.length)][clamp(column + right, rows[row].length)].focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  pick(cell) {
    if (!("playable" in this.element.dataset)) return;
    if (this.picked.includes(cell)) {
      this.picked = this.picked.filter((other) => other !== cell);
      this.draw();
      this.say(`${cell.id.toUpperCase()} taken back`);
      return;
    }
    if (/, (black|white)/.test(cell.getAttribute("aria-label"))) {
      this.say(`${cell.id.toUpperCase()} is taken`);
      return;
    }
    this.picked.push(cell);
    this.draw();
    const names = this.picked.map((other) => other.id);
    if (this.field) this.field.value = names.join(" ");
    if (this.picked.length < this.stones) {
      this.say(`${cell.id.toUpperCase()}; ${this.stones - this.picked.length} more`);
      return;
    }
    this.say(`${names.join(" ").toUpperCase()} played`);
    this.field?.form?.requestSubmit(this.field.form.querySelector("button[name=look]"));
  }

  unpick() {
    this.picked = [];
    if (this.field) this.field.value = "";
    this.draw();
    this.say("stones taken back");
  }

  draw() {
    const group = this.element.querySelector("#picked");
    group.replaceChildren(
      ...this.picked.map((cell) => {
        const circle = document.createElementNS(SVG, "circle");
        circle.setAttribute("class", this.element.dataset.colour);
        circle.setAttribute("cx", Number(cell.getAttribute("x")) + 0.5);
        circle.setAttribute("cy", Number(cell.getAttribute("y")) + 0.5);
        circle.setAttribute("r", "0.45");
        return circle;
      }),
    );
  }

  // A row of the table and its stones on the board light up together.
  bindTable() {
    const light = (letter, on) => {
      for (const row of document.querySelectorAll(`tr[data-letter="${letter}"]`)) {
        row.classList.toggle("lit", on);
      }
      for (const mark of this.element.querySelectorAll(".variation")) {
        if (mark.textContent.trim() === letter) mark.classList.toggle("lit", on);
      }
    };
    for (const row of document.querySelectorAll("tr[data-letter]")) {
      const letter = row.dataset.letter;
      row.onpointerenter = () => light(letter, true);
      row.onpointerleave = () => light(letter, false);
      row.onfocusin = () => light(letter, true);
      row.onfocusout = () => light(letter, false);
    }
  }
}
