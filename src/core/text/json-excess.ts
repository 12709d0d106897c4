// Measures how deep JSON text is nested and how many values it holds, before it is parsed. Code that walks over a
// parsed value (copies for a thread, canonical forms, checks) may then use recursion, and its cost stays within the
// limits. One pass over the text, without recursion.

export interface JsonLimits {
  /** Levels of objects and lists. */
  readonly depth: number;
  /** Members of objects and items of lists. */
  readonly values: number;
  /** Characters of one text as it is written. Without it: as many as the whole has. */
  readonly text?: number;
}

/** Measures a long text in steps, so that others are served between them. */
interface JsonScan {
  /** Goes on for about so many characters, and says which limit the text exceeds there. */
  step(characters: number): string | undefined;
  readonly isDone: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const MARKS = /["[\]{},]/g;

/**
 * After this many characters without a mark, the engine's own search finds the next one. It reads a text of 1 MiB in
 * 0.1 ms, where a loop over its characters takes 8 ms, but it costs more for a mark that is near.
 */
const FAR = 64;

/** Says which limit the text exceeds and where. Undefined: none. The text need not be JSON. */
export function jsonExcess(text: string, limits: JsonLimits): string | undefined {
  return createJsonScan(text, limits).step(text.length);
}

export function createJsonScan(text: string, limits: JsonLimits): JsonScan {
  const longest = limits.text ?? text.length;
  let place = { at: 0, depth: 0, values: 1 };

  function step(characters: number): string | undefined {
    let { at, depth, values } = place;
    let mark = at;
    const end = Math.min(text.length, at + characters);
    for (; at < end; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        const from = at;
        at = endOfString(text, from);
        if (at - from - 1 > longest) return `with a text of more than ${longest} characters, from character ${from} on`;
      } else if (code === COMMA) values += 1;
      // [ and {, then ] and }
      else if ((code | 0x20) === 0x7b) {
        depth += 1;
        values += 1;
        if (depth > limits.depth) return `nested more than ${limits.depth} levels deep, from character ${at} on`;
      } else if ((code | 0x20) === 0x7d) depth -= 1;
      else {
        if (at - mark === FAR) at = nextMark(text, at) - 1;
        continue;
      }
      mark = at;
      if (values > limits.values) return `of more than ${limits.values} values, from character ${at} on`;
    }
    place = { at, depth, values };
    return undefined;
  }

  return {
    step,
    get isDone() {
      return place.at >= text.length;
    },
  };
}

function nextMark(text: string, from: number): number {
  MARKS.lastIndex = from;
  return MARKS.test(text) ? MARKS.lastIndex - 1 : text.length;
}

/** The index of the closing quote of the string that begins at `start`; the end of the text when there is none. */
export function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0) return text.length;
  // Only a quote after a backslash may be escaped.
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
