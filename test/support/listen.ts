// A listener to server-sent events that reads like a browser does.
import { onTestFinished } from "vitest";

export interface SeenEvent {
  readonly id: string | undefined;
  readonly event: string;
  /** The parsed data; comments have none. */
  readonly data: Readonly<Record<string, unknown>> & {
    readonly site_id?: string;
    readonly device_id?: string;
    readonly execution?: { readonly id: string; readonly state: string; readonly request: object };
    readonly connectivity?: { readonly status: string };
    readonly log?: { readonly severity: string; readonly message: string };
  };
}

export interface EventListener {
  readonly status: number;
  readonly contentType: string | null;
  /** Everything so far, as text. */
  readonly text: () => string;
  readonly seen: readonly SeenEvent[];
  /** The first event, past or to come, that fits; each is given once. */
  next(fits: (event: SeenEvent) => boolean): Promise<SeenEvent>;
  /** Resolves when the stream has ended, with how. */
  readonly end: Promise<"ended" | "cut off">;
  close(): void;
}

export async function listen(
  url: string,
  token: string,
  {
    query = "",
    lastEventId,
    cookie,
  }: { readonly query?: string; readonly lastEventId?: string | undefined; readonly cookie?: string } = {},
): Promise<EventListener> {
  const cancel = new AbortController();
  onTestFinished(() => cancel.abort());
  const response = await fetch(`${url}/v3/events${query}`, {
    headers: {
      ...(cookie === undefined
        ? { "X-Service-Auth-Token": token }
        : { Cookie: cookie, "Sec-Fetch-Site": "same-origin" }),
      ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
    },
    signal: cancel.signal,
  });
  let text = "";
  const seen: SeenEvent[] = [];
  const unclaimed: SeenEvent[] = [];
  const waiting: { fits: (event: SeenEvent) => boolean; resolve: (event: SeenEvent) => void }[] = [];

  function take(event: SeenEvent): void {
    seen.push(event);
    const waiter = waiting.findIndex(({ fits }) => fits(event));
    if (waiter >= 0) waiting.splice(waiter, 1)[0]?.resolve(event);
    else unclaimed.push(event);
  }

  async function read(): Promise<"ended" | "cut off"> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const part of response.body ?? []) {
        const piece = decoder.decode(part as Uint8Array, { stream: true });
        text += piece;
        const blocks = (rest + piece).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) {
          const event = parseBlock(block);
          if (event !== undefined) take(event);
        }
      }
      return "ended";
    } catch {
      return "cut off";
    }
  }

  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    text: () => text,
    seen,
    next(fits) {
      const found = unclaimed.findIndex(fits);
      const [event] = found >= 0 ? unclaimed.splice(found, 1) : [];
      return event === undefined ? new Promise((resolve) => waiting.push({ fits, resolve })) : Promise.resolve(event);
    },
    end: read(),
    close: () => cancel.abort(),
  };
}

function parseBlock(block: string): SeenEvent | undefined {
  const fields = new Map(
    block.split("\n").flatMap((line) => {
      const [, name = "", value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      return name === "" ? [] : [[name, value] as const];
    }),
  );
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { id: fields.get("id"), event: fields.get("event") ?? "message", data: JSON.parse(data) };
}
