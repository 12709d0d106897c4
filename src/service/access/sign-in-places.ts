// Whether a person signs in from a place for the first time, and the mail that says so. A place is an address, or the /64 of an
// IPv6 address. A keyed hash of it is stored, and nothing about the browser.
import type { Account } from "#core/access/account.ts";
import { MAX_PLACES, PLACE_LIFETIME_MS } from "#core/access/sign-in-place.ts";
import { addressBlock } from "#core/net/address-block.ts";
import { type Channel, channelSecretContext } from "#core/notification/channel.ts";
import type { MessageItem } from "#core/notification/message.ts";
import type { Site } from "#core/site/site.ts";
import { instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import type { Needs } from "#service/ports.ts";

/** Mail servers that are tried, one after the other, until one takes the mail. */
const MOST_SERVERS = 3;
/** Sites whose channels are looked at. */
const MOST_SITES = 100;
const SEND_TIMEOUT_MS = 60_000;

export interface SignInPlaces {
  /** Remembers where the person signs in from. Whether it has signed in before, and never from there. */
  note(accountId: string, remoteAddress: string): Promise<boolean>;
  /** Sends a mail to the person, where a site of that person has a mail server. Nothing waits for it. */
  mail(accountId: string, remoteAddress: string): void;
}

interface PlaceNeeds
  extends Pick<Needs, "accounts" | "sites" | "channels" | "messageSender" | "seal" | "now" | "newId"> {
  readonly background: Background;
  readonly log: { warn(details: object, message: string): void };
}

export function createSignInPlaces(needs: PlaceNeeds): SignInPlaces {
  return {
    async note(accountId, remoteAddress) {
      const sealed = needs.seal.fingerprint(addressBlock(remoteAddress), `sign-in place ${accountId}`);
      const at = needs.now();
      const since = instant(at - PLACE_LIFETIME_MS);
      const place = Buffer.from(sealed).toString("base64");
      return await needs.accounts.notePlace({ accountId, place, at, since, most: MAX_PLACES });
    },
    mail(accountId, remoteAddress) {
      needs.background.run("mail about a sign-in", () => mailPerson(needs, accountId, remoteAddress));
    },
  };
}

async function mailPerson(needs: PlaceNeeds, accountId: string, remoteAddress: string): Promise<void> {
  const account = await needs.accounts.find(accountId);
  if (account === undefined) return;
  const servers = await mailServersOf(needs, account);
  const signal = AbortSignal.timeout(SEND_TIMEOUT_MS);
  for (const { site, channel } of servers) {
    const result = await needs.messageSender.send(messageTo(needs, account, { site, channel, remoteAddress }), signal);
    // One that may have arrived is not repeated.
    if (result.outcome !== "refused") return;
    needs.log.warn({ channel: channel.id, error: result.error }, "a mail about a sign-in was refused");
  }
}

interface MailServer {
  readonly site: Site;
  readonly channel: Channel;
}

async function mailServersOf(needs: PlaceNeeds, { sites }: Account): Promise<readonly MailServer[]> {
  const found: MailServer[] = [];
  for (const site of (await needs.sites.list(sites, { offset: 0, limit: MOST_SITES })).items) {
    for (const channel of await needs.channels.ofSite(site.id)) {
      const { target } = channel;
      const isKnown = found.some(
        ({ channel: { target: other } }) => other.kind === "mail" && sameServer(other, target),
      );
      if (target.kind === "mail" && !isKnown) found.push({ site, channel });
      if (found.length === MOST_SERVERS) return found;
    }
  }
  return found;
}

const sameServer = (one: object & { host?: string; port?: number }, other: object & { host?: string; port?: number }) =>
  one.host === other.host && one.port === other.port;

const TEXTS = {
  en: {
    name: (person: string) => `${person}: sign-in from a new place`,
    text: (mail: string, address: string) =>
      `Somebody signed in as ${mail} from the address ${address}. If that was you, there is nothing to do. If not: change your ` +
      "password, which ends all other sessions, and tell the people who run this site.",
  },
  de: {
    name: (person: string) => `${person}: Anmeldung von einem neuen Ort`,
    text: (mail: string, address: string) =>
      `Jemand hat sich als ${mail} von der Adresse ${address} angemeldet. Wenn Sie das waren, ist nichts zu tun. Wenn nicht: Ändern ` +
      "Sie Ihr Passwort, das beendet alle anderen Sitzungen, und sagen Sie es denen, die diesen Standort betreiben.",
  },
};

/** Over the mail server of the site, to the person's own address. */
function messageTo(
  { seal, now, newId }: PlaceNeeds,
  { name, mail, language = "en" }: Account,
  { site, channel, remoteAddress }: MailServer & { readonly remoteAddress: string },
) {
  const at = now();
  const words = TEXTS[language];
  const item: MessageItem = {
    ...{ device: undefined, deviceId: undefined, alertId: undefined, at },
    severity: "warning",
    ...{ name: words.name(name), text: words.text(mail, remoteAddress) },
  };
  const { sealedSecret, target } = channel;
  return {
    channel: { ...channel, language, target: target.kind === "mail" ? { ...target, to: mail } : target },
    secret: sealedSecret && seal.open(sealedSecret, channelSecretContext(channel.id)),
    id: newId(),
    content: { kind: "rule", site: site.name, timezone: site.timezone, count: 0, items: [item] } as const,
    queuedAt: at,
    sentAt: at,
  };
}
