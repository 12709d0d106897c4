import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Line {
  readonly url: string;
  /** Ends all connections and lets no new ones through. */
  cut(): void;
  /** Connections stay open and nothing passes any more, until they are cut. */
  hold(): void;
  heal(): void;
  close(): void;
}

/** A TCP line to a server that can be cut. Closes with the test or the file that opened it. */
export async function openLine(target: string, atEnd: (task: () => void) => void = onTestFinished): Promise<Line> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the line has no port");
  const cut = () => {
    isCut = true;
    for (const socket of open) socket.destroy();
  };
  const line = {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    hold: () => {
      for (const socket of open) socket.unpipe();
    },
    heal: () => (isCut = false),
    close: () => {
      cut();
      server.close();
    },
  };
  atEnd(line.close);
  return line;
}
