/** One message of a `text/event-stream`, by the HTML standard. */
export type EventMessage = { readonly event: string; readonly data: string };

export type EventStream = {
  /** Takes the next piece of the stream, cut anywhere, and gives the messages that it completes. */
  readonly push: (piece: Uint8Array) => readonly EventMessage[];
  /** The latest id that came: where to go on after a lost connection. */
  readonly lastId: string | undefined;
  /** Milliseconds to wait before another connection, if the server said so. */
  readonly retry: number | undefined;
};

/** `lastId` is that of the stream before, which this one goes on from. */
export function createEventStream(lastId?: string): EventStream {
  const decoder = new TextDecoder();
  let rest = "";
  let afterReturn = false;
  let event = "";
  let data: string[] = [];
  let latestId = lastId;
  let retry: number | undefined;

  const takeField = (name: string, value: string): void => {
    if (name === "event") event = value;
    else if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) latestId = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) retry = Number(value);
  };

  /** A message that the empty line completes; one without data does not count. */
  const complete = (): readonly EventMessage[] => {
    const messages = data.length === 0 ? [] : [{ event: event || "message", data: data.join("\n") }];
    event = "";
    data = [];
    return messages;
  };

  const takeLine = (line: string): readonly EventMessage[] => {
    if (line === "") return complete();
    const colon = line.indexOf(":");
    // A line that begins with a colon is a comment.
    if (colon < 0) takeField(line, "");
    else if (colon > 0) takeField(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ""));
    return [];
  };

  return {
    push(piece) {
      let text = decoder.decode(piece, { stream: true });
      // A return at the end of a piece has ended its line already: a newline that follows belongs to it.
      if (afterReturn && text.startsWith("\n")) text = text.slice(1);
      if (text !== "") afterReturn = text.endsWith("\r");
      const lines = (rest + text).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? "";
      return lines.flatMap(takeLine);
    },
    get lastId() {
      return latestId;
    },
    get retry() {
      return retry;
    },
  };
}
