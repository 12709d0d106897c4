let start = $state<string | undefined>();

/** Whether the palette is open, and the text that it opens with. */
export const palette = {
  get start(): string | undefined {
    return start;
  },
  open(text = ""): void {
    start = text;
  },
  close(): void {
    start = undefined;
  },
};
