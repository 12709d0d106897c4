// Colours of the design for a canvas, which knows no variables.

/** Gives the colour that a variable such as `--series-1` has now, in the theme of the page. */
export function colorReader(host: HTMLElement): {
  readonly read: (variable: string) => string;
  readonly end: () => void;
} {
  const probe = document.createElement("span");
  probe.hidden = true;
  host.append(probe);
  const known = new Map<string, string>();
  const read = (variable: string): string => {
    const found = known.get(variable);
    if (found !== undefined) return found;
    probe.style.color = `var(${variable})`;
    const color = getComputedStyle(probe).color;
    known.set(variable, color);
    return color;
  };
  return { read, end: () => probe.remove() };
}

/** The same colour, as transparent as `alpha` says. */
export const faded = (color: string, alpha: number) => `color-mix(in srgb, ${color} ${alpha * 100}%, transparent)`;
