// What is wrong with a channel that somebody enters, beyond what its schema finds: all of it at once.
import { parseHttpAddress } from "#core/net/http-address.ts";
import { type ChannelTarget, MAIL_PORTS, mailServerUrl } from "./channel.ts";

interface ChannelProblem {
  /** Of the target, such as `to`. */
  readonly field: string;
  readonly message: string;
}

const HOST = /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$|^[0-9A-Fa-f:.]{2,45}$/;
/** One address as it stands in an envelope: no name, no comment, no list, nothing that could end a line. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/;
const TELEGRAM_TOKEN = /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/;
/** Header values, and names and passwords of mail servers. */
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

export function channelProblems(
  target: ChannelTarget,
  secret: string | undefined,
  allowPrivate: boolean,
): readonly ChannelProblem[] {
  const problems: ChannelProblem[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  const requireHttp = (field: string, text: string, hasToken = false) => {
    const url = parseHttpAddress(text);
    if (typeof url === "string") add(field, url);
    else if (hasToken && url.protocol !== "https:" && !allowPrivate)
      add(field, "must be https:// with a token: it would be sent in the clear");
  };
  switch (target.kind) {
    case "mail":
      if (!HOST.test(target.host) || !URL.canParse(mailServerUrl(target.host)))
        add("host", "must be the name or address of a mail server, without a port");
      if (!allowPrivate && !MAIL_PORTS.includes(target.port))
        add("port", `must be one of ${MAIL_PORTS.join(", ")}; allow_private allows others`);
      for (const field of ["from", "to"] as const)
        if (!ADDRESS.test(target[field])) add(field, "must be one mail address, such as name@example.com");
      if (secret !== undefined && target.username === undefined) add("username", "is missing beside the password");
      if (target.username !== undefined && !PRINTABLE.test(target.username)) add("username", "must be printable ASCII");
      if (target.username !== undefined && target.security === "none" && !allowPrivate)
        add("security", "must not be none with a password: it would be sent in the clear");
      break;
    case "ntfy":
      requireHttp("server", target.server, secret !== undefined);
      if (secret !== undefined && !PRINTABLE.test(secret)) add("token", "must be printable ASCII");
      break;
    case "telegram":
      requireHttp("server", target.server, true);
      if (secret !== undefined && !TELEGRAM_TOKEN.test(secret))
        add("token", "must be the token of a bot, such as 123456:ABC-DEF");
      break;
    case "webhook":
      requireHttp("url", target.url);
      break;
    case "push":
      break;
  }
  return problems;
}
