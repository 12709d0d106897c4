// HTTP for scripts: each request and each redirect is checked against the address policy, the answer is bounded in
// size, and the whole exchange is bounded in time.
import type { IncomingMessage } from "node:http";
import { request as requestTls, Agent as TlsAgent } from "node:https";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { HttpAnswer, HttpRequest } from "#drivers/http/http-request.ts";
import type { Reach } from "#drivers/net/create-reach.ts";
import { failureWords } from "#drivers/net/failure-words.ts";
import { unescapeLogin } from "#drivers/net/unescape-login.ts";
import { Agent as PlainAgent, request as requestPlain } from "#tuning/plain-http.ts";
import { CookieJar, parseSetCookie } from "./cookie-jar.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_REDIRECTS = 5;
const MAX_JARS = 16;
const MAX_SOCKETS = 4;
const IDLE_MS = 15_000;
/** Headers for one host that must not go to another host after a redirect. */
const PRIVATE_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);

export interface HttpConnection {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

interface HttpNeeds {
  readonly reach: Reach;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
}

export function createHttpConnection({ reach, now }: HttpNeeds): HttpConnection {
  const agentSettings = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_SOCKETS, timeout: IDLE_MS };
  const [plain, tls] = [new PlainAgent(agentSettings), new TlsAgent(agentSettings)];
  const jars = new Map<number, CookieJar>();
  const closing = new AbortController();

  const jarOf = (id: number | undefined): CookieJar | undefined => {
    if (id === undefined) return undefined;
    const jar = jars.get(id) ?? new CookieJar();
    const [oldest] = jars.keys();
    jars.delete(id);
    jars.set(id, jar);
    if (jars.size > MAX_JARS && oldest !== undefined) jars.delete(oldest);
    return jar;
  };

  const exchange = (url: URL, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> => {
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    reach.check(url.hostname, port);
    const options = {
      method: request.method,
      headers: headersOf(url, request),
      lookup: reach.lookup(port),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    };
    // The login goes as a header.
    const bare = new URL(url);
    bare.username = "";
    bare.password = "";
    return new Promise((resolve, reject) => {
      const answered = (answer: IncomingMessage) => {
        readBody(answer, url).then(resolve, reject);
      };
      const sent =
        url.protocol === "https:"
          ? requestTls(bare, { ...options, agent: tls, rejectUnauthorized: !request.isInsecure }, answered)
          : requestPlain(bare, { ...options, agent: plain }, answered);
      sent.on("error", reject);
      sent.on("socket", ({ remoteAddress: address = "" }) => {
        if (!sent.reusedSocket) return;
        try {
          reach.recheck({ host: url.hostname, address, port });
        } catch (error) {
          sent.destroy(error instanceof Error ? error : undefined);
        }
      });
      // Without a listener Node would emit neither an answer nor an error, and nothing would end the wait.
      sent.on("upgrade", (_answer, socket) => {
        socket.destroy();
        reject(new ConnectionError("answer", `${url.host} switches to another protocol, which nobody asked for`));
      });
      sent.end(request.body);
    });
  };

  const follow = async (request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> => {
    const jar = jarOf(request.jar);
    let next = request;
    for (let hops = 0; ; hops++) {
      const url = parseUrl(next.url);
      const cookie = jar?.header(url.host);
      const answer = await exchange(url, cookie === undefined ? next : withCookie(next, cookie), signal);
      jar?.keep(
        url.host,
        valuesOf(answer, "set-cookie").flatMap((text) => parseSetCookie(text, now()) ?? []),
      );
      const redirected = redirect(next, url, answer);
      if (redirected === undefined) return answer;
      if (hops === MAX_REDIRECTS) throw new ConnectionError("answer", `more than ${MAX_REDIRECTS} redirects`);
      next = redirected;
    }
  };

  return {
    async send(request) {
      const deadline = AbortSignal.timeout(request.timeoutMs);
      try {
        return await follow(request, AbortSignal.any([deadline, closing.signal]));
      } catch (error) {
        if (error instanceof ConnectionError) throw error;
        if (closing.signal.aborted) throw new ConnectionError("closed", "the device has stopped");
        if (deadline.aborted) throw new ConnectionError("timeout", `no answer within ${request.timeoutMs} ms`);
        throw new ConnectionError("connection", failureWords(error));
      }
    },
    close() {
      closing.abort();
      plain.destroy();
      tls.destroy();
    },
  };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new ConnectionError("invalid", `"${text.slice(0, 200)}" is no URL`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ConnectionError("invalid", `a URL starts with http:// or https://, not ${url.protocol}`);
  return url;
}

/** The target of a redirect, by the rules that browsers and other clients follow. */
function redirect(request: HttpRequest, from: URL, answer: HttpAnswer): HttpRequest | undefined {
  const [location] = valuesOf(answer, "location");
  if (![301, 302, 303, 307, 308].includes(answer.code) || location === undefined) return undefined;
  if (!URL.canParse(location, from.href)) throw new ConnectionError("answer", "the redirect leads to what is no URL");
  const to = new URL(location, from.href);
  if (from.protocol === "https:" && to.protocol !== "https:")
    throw new ConnectionError("refused", "a redirect from https to http is not followed");
  const keepsMethod = answer.code >= 307 || request.method === "GET" || request.method === "HEAD";
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return (
      (to.host === from.host || !PRIVATE_HEADERS.has(lower)) &&
      lower !== "host" &&
      (keepsMethod || !lower.startsWith("content-"))
    );
  });
  return keepsMethod
    ? { ...request, url: to.href, headers }
    : { ...request, url: to.href, headers, method: "GET", body: undefined };
}

function headersOf(url: URL, { headers, body, method }: HttpRequest): readonly string[] {
  const has = (wanted: string) => headers.some(([name]) => name.toLowerCase() === wanted);
  const needsLength = (body !== undefined || method === "POST" || method === "PUT") && !has("content-length");
  return [
    ...(has("host") ? [] : ["Host", url.host]),
    ...headers.flat(),
    ...(url.username === "" || has("authorization") ? [] : ["Authorization", basicLogin(url)]),
    ...(has("user-agent") ? [] : ["User-Agent", "Busbar"]),
    ...(has("accept") ? [] : ["Accept", "*/*"]),
    ...(needsLength ? ["Content-Length", String(body?.length ?? 0)] : []),
  ];
}

/** `http://name:password@host` logs in. */
function basicLogin({ username, password }: URL): string {
  const decoded = `${unescapeLogin(username)}:${unescapeLogin(password)}`;
  return `Basic ${Buffer.from(decoded, "utf8").toString("base64")}`;
}

function withCookie(request: HttpRequest, cookie: string): HttpRequest {
  const own = request.headers.filter(([name]) => name.toLowerCase() === "cookie").map(([, value]) => value);
  const others = request.headers.filter(([name]) => name.toLowerCase() !== "cookie");
  return { ...request, headers: [...others, ["Cookie", [...own, cookie].join("; ")]] };
}

function readBody(answer: IncomingMessage, url: URL): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    answer.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length <= MAX_BODY_BYTES) return void pieces.push(piece);
      answer.destroy();
      reject(new ConnectionError("answer", `the answer of ${url.host} is longer than ${MAX_BODY_BYTES} bytes`));
    });
    answer.on("error", reject);
    answer.on("end", () => {
      const raw = answer.rawHeaders;
      const headers = Array.from(
        { length: raw.length / 2 },
        (_, at) => [raw[2 * at] ?? "", raw[2 * at + 1] ?? ""] as const,
      );
      const { statusCode: code } = answer;
      if (code === undefined) reject(new ConnectionError("answer", `the answer of ${url.host} has no status`));
      else resolve({ code, headers, body: Buffer.concat(pieces) });
    });
    answer.on("close", () => reject(new ConnectionError("connection", "the connection broke")));
  });
}

function valuesOf({ headers }: HttpAnswer, wanted: string): readonly string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}
