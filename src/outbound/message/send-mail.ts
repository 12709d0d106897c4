// One mail over SMTP. A server has a mail only after the dot that ends it: what fails before has certainly not arrived, and what
// fails between the dot and its answer may have.

import { connect as connectPlain, type Socket } from "node:net";
import { Readable } from "node:stream";
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { SendOutcome } from "#core/notification/after-send.ts";
import type { ChannelTarget } from "#core/notification/channel.ts";
import { messageText } from "#core/notification/message-text.ts";
import { failureWords } from "#outbound/allowed-addresses.ts";
import type { OutgoingMessage } from "#service/ports/message-sender.ts";
import type { Way } from "./way.ts";

type MailTarget = Extract<ChannelTarget, { kind: "mail" }>;

const MAIL_CHARACTERS = 100_000;
const LARGEST_ANSWER = 64 * 1024;

export async function sendMail(target: MailTarget, message: OutgoingMessage, way: Way): Promise<SendOutcome> {
  const mail = await compose(target, message);
  const body = Readable.from([mail], { objectMode: false });
  let socket: Socket | undefined;
  let connection: SMTPConnection | undefined;
  try {
    socket = await connect(target, way);
    connection = new SMTPConnection({
      ...{ connection: socket, host: target.host, port: target.port, name: "busbar" },
      ...{ secure: target.security === "tls", requireTLS: target.security === "starttls" },
      ignoreTLS: target.security === "none",
      ...(way.ca !== undefined && { tls: { ca: way.ca } }),
      maxResponseSize: LARGEST_ANSWER,
    });
    await converse(connection, { target, secret: message.secret, body, size: mail.length, signal: way.signal });
    connection.quit();
    return { outcome: "taken" };
  } catch (error) {
    return failureOf(error, body.readableEnded, way.signal);
  } finally {
    if (connection !== undefined) connection.close();
    else socket?.destroy();
    body.destroy();
  }
}

async function compose({ from, to }: MailTarget, { channel, content, id, queuedAt }: OutgoingMessage): Promise<Buffer> {
  const { title, text } = messageText(content, channel.language, MAIL_CHARACTERS);
  const composer = new MailComposer({
    ...{ from: { name: "Busbar", address: from }, to: { name: "", address: to }, subject: title, text: `${text}\n` },
    // The same for every attempt, so that a server that remembers them shows it once.
    messageId: `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    date: new Date(queuedAt),
    headers: { "Auto-Submitted": "auto-generated", "X-Busbar-Message": id },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return await composer.compile().build();
}

function connect({ host, port }: MailTarget, { lookup, signal }: Way): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectPlain({ host, port, lookup, signal });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

interface Conversation {
  readonly target: MailTarget;
  readonly secret: string | undefined;
  readonly body: Readable;
  readonly size: number;
  readonly signal: AbortSignal;
}

/** Rejects with the first thing that fails. */
function converse(connection: SMTPConnection, { target, secret, body, size, signal }: Conversation): Promise<void> {
  return new Promise((resolve, reject) => {
    const step = (next: () => void) => (error?: Error | null) => (error ? reject(error) : next());
    const stop = () => {
      reject(signal.reason as Error);
      connection.close();
    };
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    connection.on("error", reject);
    connection.on("end", () => reject(new Error("the connection ended")));
    const envelope = { from: target.from, to: [target.to], size };
    const send = () => connection.send(envelope, body, step(resolve));
    const { username } = target;
    const enter = () => {
      if (username === undefined) send();
      else connection.login({ user: username, pass: secret ?? "" }, step(send));
    };
    connection.connect(step(enter));
  });
}

/** What a server answers may repeat what it was sent: only its code is told. */
function failureOf(error: unknown, isHandedOver: boolean, signal: AbortSignal): SendOutcome {
  const { responseCode, code, command } = (error ?? {}) as { responseCode?: number; code?: string; command?: string };
  if (typeof responseCode === "number") {
    const what = code === "EAUTH" ? "the mail server refuses name and password" : "the mail server answered";
    const error = `${what} ${responseCode}${command === undefined ? "" : ` to ${command.slice(0, 20)}`}`;
    return { outcome: "refused", error, isFinal: responseCode >= 500 };
  }
  const words = signal.aborted ? failureWords(error, signal) : (SMTP_WORDS[code ?? ""] ?? failureWords(error, signal));
  return isHandedOver ? { outcome: "unknown", error: words } : { outcome: "refused", error: words, isFinal: false };
}

const SMTP_WORDS: Readonly<Record<string, string>> = {
  ETLS: "the mail server offers no encryption that can be trusted",
  EAUTH: "the mail server refuses name and password",
  ENOAUTH: "the mail server refuses name and password",
  ECONNECTION: "the connection to the mail server broke",
  EPROTOCOL: "the mail server does not speak SMTP",
  ESOCKET: "the connection to the mail server broke, or its certificate cannot be trusted",
};
