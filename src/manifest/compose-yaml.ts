import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser, type YAMLError } from "yaml";
import type { Reporter } from "./reporter.ts";
import { short } from "./words.ts";

const DEEPEST = 64;
/** The library takes some microseconds for each. A meaningful manifest of the largest size has fewer. */
const MOST_TOKENS = 150_000;
const MOST_SYNTAX_ISSUES = 20;

/** The lexer announces each scalar by this. */
const SCALAR_FOLLOWS = "\x1f";

/** Those of YAML's core schema: each says which type a value has. */
const TAGS: ReadonlySet<string> = new Set(["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"]);

const OPTIONS = { version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false } as const;

/**
 * Text to YAML nodes by the YAML library, which is fed piece by piece so that a hostile text is given up before it costs
 * much: its parser is recursive and keeps every error. Undefined when something was reported.
 */
export function composeYaml(reporter: Reporter): ParsedNode | undefined {
  const parser = new Parser();
  const composer = new Composer(OPTIONS);
  const documents: Document.Parsed[] = [];
  const guard = createGuard();
  for (const lexeme of new Lexer().lex(reporter.text)) {
    const { offset } = parser;
    const refusal = guard.judgeLexeme(lexeme, offset);
    if (refusal) return refuse(reporter, refusal);
    for (const token of parser.next(lexeme)) {
      const tokenRefusal = guard.judgeToken(token);
      if (tokenRefusal) return refuse(reporter, tokenRefusal);
      documents.push(...composer.next(token));
    }
    if (documents.length > 1 || guard.isHopeless()) break;
    if (parser.stack.length > DEEPEST) {
      const message = `Objects and lists are nested more than ${DEEPEST} deep. No ${reporter.what} needs that.`;
      return refuse(reporter, { offset, code: "document_too_deep", message });
    }
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end());
  return onlyDocument(reporter, documents)?.contents ?? undefined;
}

interface Refusal {
  readonly offset: number;
  readonly code: "yaml_syntax" | "empty_document" | "several_documents" | "document_too_deep" | "document_too_complex";
  readonly message: string;
}

/** Watches what goes into the library. */
function createGuard() {
  let tokens = 0;
  let errors = 0;
  let inScalar = false;
  let isAfterQuoted = false;
  return {
    judgeLexeme: (lexeme: string, offset: number): Refusal | undefined => {
      const mark = inScalar ? "" : lexeme.charAt(0);
      inScalar = lexeme === SCALAR_FOLLOWS;
      tokens += 1;
      // Each would become an error of its own, with a stack trace.
      const isQuoted = mark === '"' || mark === "'";
      if (isQuoted && isAfterQuoted) errors += 1;
      if (mark !== " ") isAfterQuoted = isQuoted;
      if (mark === "!" && !TAGS.has(lexeme)) {
        const message = `The tag ${short(lexeme, 40)} is not known. Remove it; ${[...TAGS].join(", ")} are read.`;
        return { offset, code: "yaml_syntax", message };
      }
      if (tokens > MOST_TOKENS) {
        const message = "The document has too many values. Shorten it.";
        return { offset, code: "document_too_complex", message };
      }
      return undefined;
    },
    judgeToken: (token: CST.Token): Refusal | undefined => {
      if (token.type === "error") errors += 1;
      if (token.type !== "directive") return undefined;
      const message = "YAML directives are not supported. Remove the line.";
      return { offset: token.offset, code: "yaml_syntax", message };
    },
    isHopeless: () => errors >= MOST_SYNTAX_ISSUES,
  };
}

function reportBlank(reporter: Reporter): undefined {
  const begin = reporter.what === "manifest" ? " Begin with blueprint_spec, display_name and runtime." : "";
  const message = `The ${reporter.what} is empty.${begin}`;
  return refuse(reporter, { offset: 0, code: "empty_document", message });
}

function onlyDocument(reporter: Reporter, [first, second]: readonly Document.Parsed[]): Document.Parsed | undefined {
  if (first?.contents == null && (first?.errors.length ?? 0) === 0) {
    return reportBlank(reporter);
  }
  if (second) {
    const message = `The file holds more than one YAML document. Keep one ${reporter.what} per file.`;
    refuse(reporter, { offset: second.range[0], code: "several_documents", message });
  }
  const problems = [...(first?.errors ?? []), ...(first?.warnings ?? [])].slice(0, MOST_SYNTAX_ISSUES);
  for (const problem of problems) reportSyntax(reporter, problem);
  return problems.length > 0 || second ? undefined : first;
}

function refuse(reporter: Reporter, { offset, code, message }: Refusal): undefined {
  reporter.atOffset(offset, offset, { code, message });
  return undefined;
}

/** What the library's codes mean, in words for someone who does not know YAML's own. */
const WORDS: Readonly<Record<string, string>> = {
  BAD_INDENT: "The indentation does not fit the lines above. Use the same number of spaces for what belongs together.",
  BAD_SCALAR_START: "A text cannot begin with this character. Put the text in quotes.",
  BLOCK_AS_IMPLICIT_KEY: "A second key on the same line. Put it on a line of its own, or put the text in quotes.",
  BLOCK_IN_FLOW: "Indented lines cannot stand inside brackets.",
  MISSING_CHAR: "Something is missing here: a space after the colon, a comma, or a closing quote or bracket.",
  MULTILINE_IMPLICIT_KEY: "A key must be on one line and end with a colon.",
  TAB_AS_INDENT: "Tabs cannot indent YAML. Use spaces.",
  UNEXPECTED_TOKEN: "This does not belong here.",
};

function reportSyntax(reporter: Reporter, problem: YAMLError): void {
  const [start, end] = problem.pos;
  const words = WORDS[problem.code];
  // The library quotes the text, however long it is.
  const details = short(problem.message, 100);
  const message = words ? `${words} (${details})` : `${details}.`;
  const fix =
    problem.code === "TAB_AS_INDENT"
      ? { title: "Indent with spaces", edits: [{ start, end, text: "  ".repeat(end - start) }] }
      : undefined;
  reporter.atOffset(start, end, { code: "yaml_syntax", message, fix });
}
