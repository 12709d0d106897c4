// A refusal of a large body is seen by every kind of client: those that write all of it before they read, and those that
// look at the answer meanwhile.
import { spawn, spawnSync } from "node:child_process";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { parseRaw } from "../support/raw-http.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

interface Upload {
  readonly bytes: number;
  readonly token: string;
}

/** Each gives the answer as `<status> <body>`. */
type Client = readonly [name: string, send: (upload: Upload) => Promise<string>];

const PYTHON = `
import sys, urllib.error, urllib.request
url, token, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
request = urllib.request.Request(url, data=b" " * size, headers={"X-Service-Auth-Token": token}, method="POST")
try:
    urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())
`;
const CLIENTS: readonly Client[] = [
  ["a client that writes everything before it reads", (upload) => writeThenRead(upload, "close", false)],
  ["a client that keeps its connection", (upload) => writeThenRead(upload, "keep-alive", false)],
  ["a client that sends chunks", (upload) => writeThenRead(upload, "close", true)],
  ...program("curl", ["--version"], ({ bytes, token }) => ({
    args: [
      ...["-s", "-X", "POST", "-H", `X-Service-Auth-Token: ${token}`, "--data-binary", "@-"],
      ...["-w", " %{http_code}", `${busbar.url}/v3/sites`],
    ],
    input: Buffer.alloc(bytes, " "),
  })),
  ...program("python3", ["-c", "import urllib.request"], ({ bytes, token }) => ({
    args: ["-c", PYTHON, `${busbar.url}/v3/sites`, token, String(bytes)],
    input: Buffer.alloc(0),
  })),
];

test.each(CLIENTS)("%s sees that its body is too large", async (_, send) => {
  for (const bytes of [1024 * 1024 + 1, 5 * 1024 * 1024, 24 * 1024 * 1024]) {
    const answer = await send({ bytes, token: busbar.adminToken });
    expect([bytes, answer]).toEqual([bytes, expect.stringMatching(/413/)]);
    expect(answer).toContain('"code":"body_too_large"');
  }
});

test.each(CLIENTS)("%s sees that its token is wrong, whatever it sends", async (_, send) => {
  const answer = await send({ bytes: 5 * 1024 * 1024, token: "wrong" });
  expect(answer).toContain('"code":"unauthorized"');
});

/** Like most HTTP libraries: nothing is read before the last byte is written. */
async function writeThenRead({ bytes, token }: Upload, connection: string, chunked: boolean): Promise<string> {
  const socket = connect(busbar.port, "127.0.0.1");
  socket.pause();
  const failed = new Promise<never>((_, reject) => socket.once("error", reject));
  const write = (data: string | Buffer) => new Promise<void>((resolve) => socket.write(data, () => resolve()));
  const length = chunked ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes}`;
  const head = `POST /v3/sites HTTP/1.1\r\nHost: x\r\nX-Service-Auth-Token: ${token}\r\nConnection: ${connection}\r\n${length}\r\n\r\n`;
  const upload = async () => {
    await write(head);
    const piece = Buffer.alloc(64 * 1024, " ");
    for (let left = bytes; left > 0; left -= piece.length) {
      const part = piece.subarray(0, left);
      await write(chunked ? `${part.length.toString(16)}\r\n${part}\r\n` : part);
    }
    if (chunked) await write("0\r\n\r\n");
  };
  const read = () =>
    new Promise<string>((resolve) => {
      let text = "";
      socket.on("data", (data) => {
        text += data.toString();
        const { headers, status, text: body } = parseRaw(text);
        if (body.length > 0 && body.length >= Number(headers.get("content-length"))) resolve(`${status} ${body}`);
      });
      socket.resume();
    });
  try {
    await Promise.race([upload(), failed]);
    return await Promise.race([read(), failed]);
  } finally {
    socket.destroy();
  }
}

/** A client that is installed here; no entry where it is not. */
function program(
  name: string,
  probe: readonly string[],
  callOf: (upload: Upload) => { readonly args: readonly string[]; readonly input: Buffer },
): readonly Client[] {
  if (spawnSync(name, probe, { stdio: "ignore" }).status !== 0) {
    console.log(`no ${name} here: it is not tested`);
    return [];
  }
  const send = (upload: Upload) => {
    const { args, input } = callOf(upload);
    const child = spawn(name, args, { stdio: ["pipe", "pipe", "pipe"] });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    return new Promise<string>((resolve, reject) => {
      let text = "";
      child.stdout.on("data", (data) => {
        text += String(data);
      });
      child.stderr.on("data", (data) => {
        text += String(data);
      });
      child.once("error", reject);
      child.once("close", () => resolve(text));
    });
  };
  return [[name, send]];
}
