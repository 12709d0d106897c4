/** A fenced block of a Markdown page: ```sh skip="reason" background */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  /** What follows the language: `name=value`, `name="some words"`, or a bare `name`, whose value is empty. */
  readonly settings: ReadonlyMap<string, string>;
  readonly text: string;
}

export function codeBlocksOf(page: string, markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```([^\n]*)\n([\s\S]*?)^```/gm)].map(({ 1: info = "", 2: text = "", index }) => {
    const [language = "", rest = ""] = info.split(/ (.*)/);
    const settings = [...rest.matchAll(/([\w-]+)(?:=(?:"([^"]*)"|(\S+)))?/g)].map(
      ([, name = "", quoted, plain]) => [name, quoted ?? plain ?? ""] as const,
    );
    return { page, line: markdown.slice(0, index).split("\n").length, language, settings: new Map(settings), text };
  });
}
