// A real mail server that keeps what it gets.
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Everything after DATA. */
  readonly text: string;
  /** The header lines by their names in small letters, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly user: string | undefined;
  readonly isSecure: boolean;
}

export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Called when a mail is whole, before it is accepted. What it throws is the answer. */
  onMail: (mail: ReceivedMail) => void | Promise<void>;
  stop(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const mailServer = { onMail: (_mail: ReceivedMail): void | Promise<void> => {} };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ["STARTTLS"] : [],
    closeTimeout: 100,
    onData(stream, session, done) {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          ...{ from: mailFrom === false ? "" : mailFrom.address, to: rcptTo.map(({ address }) => address), text },
          ...{ headers: headersOf(text), user: session.user as string | undefined, isSecure: session.secure },
        };
        Promise.try(() => mailServer.onMail(mail)).then(() => {
          mails.push(mail);
          done();
        }, done);
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(mailServer, {
    port,
    mails,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

function headersOf(text: string): ReadonlyMap<string, string> {
  const [head = ""] = text.split("\r\n\r\n");
  return new Map(
    head
      .replaceAll(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
}
