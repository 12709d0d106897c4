import { lexLua } from "#core/lua/lex-lua.ts";

export interface ScriptRemark {
  /** `decide`: it will not work as it did. `port`: the installer has to give the gateway this port. */
  readonly kind: "decide" | "port";
  readonly line: number;
  readonly message: string;
}

/** Ports of the gateway that a module of device/1.0 stands for. */
const PORTS: ReadonlyMap<string, string> = new Map([
  ["rs485", "rs485"],
  ["rs232", "rs232"],
  ["can", "can"],
  ["rl6", "relay-1 to relay-6"],
  ["rl", "relay-1"],
  ["di7", "di-1 to di-7"],
  ["ai4", "ai-1 to ai-4"],
]);

const WITHOUT_FORM: ReadonlyMap<string, string> = new Map([
  [
    "ucm.new",
    "ucm.new reaches another module of the site; there is none here, and its commands fail. Use a port or another device.",
  ],
  ["di7.set_debounce", "di7.set_debounce does nothing here: the input itself filters its contact."],
]);

/** What a script for the host of device/1.0 asks of its new place, as far as that can be seen without running it. */
export function reviewV1Script(text: string): readonly ScriptRemark[] {
  const { tokens } = lexLua(text);
  const remarks = new Map<string, ScriptRemark>();
  tokens.forEach((token, i) => {
    const [before, dot, field] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]];
    if (token.kind === "string" && token.text.startsWith("enapter.ucm.generics."))
      add("ucm.new", "decide", token.line, WITHOUT_FORM.get("ucm.new") ?? "");
    if (token.kind !== "name" || before?.text === "." || before?.text === ":") return;
    if (dot?.kind !== "symbol" || dot.text !== "." || field?.kind !== "name") return;
    const use = `${token.text}.${field.text}`;
    const without = WITHOUT_FORM.get(use);
    if (without !== undefined) add(use, "decide", token.line, without);
    const port = PORTS.get(token.text);
    if (port !== undefined && isCalled(i + 3))
      add(
        token.text,
        "port",
        token.line,
        `${token.text} is the port ${port} of the gateway; the setting lua.ports says what it is.`,
      );
    if (use === "modbusrtu.new")
      add(
        use,
        "port",
        token.line,
        "modbusrtu.new takes ports by name: /dev/ttyUSB0 is the port ttyUSB0 of the setting lua.ports.",
      );
  });
  return [...remarks.values()];

  function isCalled(at: number): boolean {
    const next = tokens[at];
    return next?.kind === "string" || (next?.kind === "symbol" && (next.text === "(" || next.text === "{"));
  }

  function add(key: string, kind: ScriptRemark["kind"], line: number, message: string): void {
    if (!remarks.has(key)) remarks.set(key, { kind, line, message });
  }
}
