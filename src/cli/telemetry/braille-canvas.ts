// A canvas of dots, eight to a character: twice as fine across and four times as fine down as text.
import { itemAt } from "#core/item-at.ts";

const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;

export class BrailleCanvas {
  readonly width: number;
  readonly height: number;
  readonly #cells: Uint8Array;
  /** Which pen drew last in a cell, counted from 1. */
  readonly #pens: Uint8Array;
  readonly #columns: number;

  /** In characters. */
  constructor(columns: number, rows: number) {
    this.#columns = columns;
    this.width = columns * 2;
    this.height = rows * 4;
    this.#cells = new Uint8Array(columns * rows);
    this.#pens = new Uint8Array(columns * rows);
  }

  /** Dots count from the top left. Outside the canvas nothing is drawn. */
  dot(x: number, y: number, pen: number): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return;
    const cell = (y >> 2) * this.#columns + (x >> 1);
    this.#cells[cell] = itemAt(this.#cells, cell) | itemAt(DOTS[x & 1 ? 1 : 0], y & 3);
    this.#pens[cell] = pen;
  }

  line(from: readonly [number, number], to: readonly [number, number], pen: number): void {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const steps = Math.max(Math.abs(dx), Math.abs(dy), 1);
    for (let i = 0; i <= steps; i++) {
      this.dot(Math.round(from[0] + (dx * i) / steps), Math.round(from[1] + (dy * i) / steps), pen);
    }
  }

  /** One row of characters; `paint` receives the pen of each stretch, 0 for an empty one. */
  row(row: number, paint: (text: string, pen: number) => string): string {
    let text = "";
    let stretch = "";
    let pen = 0;
    for (let column = 0; column < this.#columns; column++) {
      const cell = row * this.#columns + column;
      const next = itemAt(this.#pens, cell);
      if (next !== pen && stretch !== "") {
        text += paint(stretch, pen);
        stretch = "";
      }
      pen = next;
      const dots = itemAt(this.#cells, cell);
      stretch += dots === 0 ? " " : String.fromCharCode(0x2800 + dots);
    }
    return text + paint(stretch, pen);
  }
}
