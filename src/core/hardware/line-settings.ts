/** The settings of a serial line. A setting that nobody has made is undefined. */
export interface LineSettings {
  readonly baudRate: number | undefined;
  readonly dataBits: 5 | 6 | 7 | 8 | undefined;
  readonly parity: "none" | "even" | "odd" | undefined;
  readonly stopBits: 1 | 2 | undefined;
}

export const NO_LINE_SETTINGS: LineSettings = {
  baudRate: undefined,
  dataBits: undefined,
  parity: undefined,
  stopBits: undefined,
};

/** The names that `parseLineSettings` takes, as in `port://rs485?baud_rate=9600&parity=even`. */
const PARAMETERS: Readonly<Record<string, (text: string) => Partial<LineSettings> | undefined>> = {
  baud_rate: (text) => {
    const baudRate = Number(text);
    return /^\d{2,7}$/.test(text) && baudRate >= 50 && baudRate <= 4_000_000 ? { baudRate } : undefined;
  },
  data_bits: (text) => found([5, 6, 7, 8] as const, text, (dataBits) => ({ dataBits })),
  parity: (text) =>
    found(["none", "even", "odd"] as const, PARITY_LETTERS[text.toLowerCase()] ?? text, (parity) => ({ parity })),
  stop_bits: (text) => found([1, 2] as const, text, (stopBits) => ({ stopBits })),
};
const PARITY_LETTERS: Readonly<Record<string, string>> = { n: "none", e: "even", o: "odd" };

export function parseLineSettings(
  parameters: ReadonlyMap<string, string>,
): LineSettings | { readonly problem: string } {
  let settings = NO_LINE_SETTINGS;
  for (const [name, text] of parameters) {
    const parse = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (parse === undefined)
      return { problem: `parameter ${name} is unknown; known are ${Object.keys(PARAMETERS).join(", ")}` };
    const parsed = parse(text);
    if (parsed === undefined) return { problem: `parameter ${name} cannot be "${text}"` };
    settings = { ...settings, ...parsed };
  }
  return settings;
}

function found<T extends string | number, R>(
  allowed: readonly T[],
  text: string,
  make: (value: T) => R,
): R | undefined {
  const value = allowed.find((item) => String(item) === text);
  return value === undefined ? undefined : make(value);
}
