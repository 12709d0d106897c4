// A person as an OpenID provider describes it, read from the claims of its ID token and of its answer about the person.

/** Who the person is at the provider. Only both together say it: a subject may be given again by another issuer. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly subject: string;
}

export interface ProviderPerson extends ProviderIdentity {
  readonly name: string;
  /** Undefined: none was sent, or one that does not belong to the person for sure. */
  readonly mail: string | undefined;
  readonly groups: readonly string[];
  /** As the provider names the session that the sign-in belongs to. */
  readonly session: string | undefined;
  /** How the provider signed the person in, such as `amr=mfa` or `acr=gold`. */
  readonly proofs: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

/** By the standard, a subject has at most 255 characters. */
const MAX_SUBJECT_LENGTH = 255;
const MAX_MAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 200;
const MAX_SESSION_LENGTH = 255;
const MAX_PROOFS = 50;
/** Providers stop sending groups far below that. */
const MAX_GROUPS = 2_000;
const MAIL = /^[^\s@<>",;:\\()[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /[\u0000-\u001f\u007f]+/g;

/** Undefined: the claims do not say who it is. */
export function readProviderPerson(issuer: string, claims: Claims, groupsClaim: string): ProviderPerson | undefined {
  const subject = textIn(claims, "sub");
  if (subject === undefined || subject.length > MAX_SUBJECT_LENGTH) return undefined;
  const mail = readMail(claims);
  const names = ["name", "preferred_username"].map((claim) => textIn(claims, claim));
  const name = names.find((one) => one !== undefined) ?? mail ?? subject;
  const groups = readGroups(claims, groupsClaim);
  const [session, proofs] = [readSession(claims), readProofs(claims)];
  return { issuer, subject, name: name.slice(0, MAX_NAME_LENGTH), mail, groups, session, proofs };
}

/** Undefined also for one that is too long to be kept. */
export function readSession(claims: Claims): string | undefined {
  const session = textIn(claims, "sid");
  return session === undefined || session.length > MAX_SESSION_LENGTH ? undefined : session;
}

function readProofs(claims: Claims): readonly string[] {
  const [acr, methods] = [textIn(claims, "acr"), Object.hasOwn(claims, "amr") ? claims["amr"] : undefined];
  const list: readonly unknown[] = Array.isArray(methods) ? methods.slice(0, MAX_PROOFS) : [];
  const texts = list.filter((one): one is string => typeof one === "string");
  return [...(acr === undefined ? [] : [`acr=${acr}`]), ...texts.map((one) => `amr=${one}`)];
}

/** A mail address that the provider itself does not believe belongs to anybody. */
function readMail(claims: Claims): string | undefined {
  const mail = textIn(claims, "email");
  const isTrue = claims["email_verified"] === undefined || [true, "true"].includes(claims["email_verified"] as never);
  return mail !== undefined && isTrue && mail.length <= MAX_MAIL_LENGTH && MAIL.test(mail) ? mail : undefined;
}

/** A list of names, or one name. Whatever else it is gives no group. */
function readGroups(claims: Claims, claim: string): readonly string[] {
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length > MAX_GROUPS) return [];
  return list.filter((one): one is string => typeof one === "string" && one !== "");
}

function textIn(claims: Claims, claim: string): string | undefined {
  const given = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const text = typeof given === "string" ? given.replaceAll(CONTROL, " ").trim() : "";
  return text === "" ? undefined : text;
}
