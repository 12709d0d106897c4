// What the list of people says, and what a form about a person asks for. Pure.
import type { Account, AccountChange, NewAccount } from "#client/resources.ts";
import type { AccessLevel } from "#core/access/level.ts";
import { passwordProblem } from "#core/access/password.ts";

export type PersonForm = {
  readonly name: string;
  readonly mail: string;
  readonly level: AccessLevel;
  /** Undefined: all sites. */
  readonly sites: readonly string[] | undefined;
  /** Empty: none for a new person, otherwise as it is. */
  readonly password: string;
};

export type PersonProblem = "name" | "mail" | "sites" | "password";

export function problemsOfPerson({ name, mail, sites, password }: PersonForm): readonly PersonProblem[] {
  return [
    ...(name.trim() === "" ? (["name"] as const) : []),
    // The server knows better; this finds what is no address at all.
    ...(/^\S+@\S+\.\S+$/.test(mail.trim()) ? [] : (["mail"] as const)),
    ...(sites !== undefined && sites.length === 0 ? (["sites"] as const) : []),
    ...(password !== "" && passwordProblem(password, [name, mail]) !== undefined ? (["password"] as const) : []),
  ];
}

export function newPersonBody({ name, mail, level, sites, password }: PersonForm): NewAccount {
  return {
    ...{ name: name.trim(), mail: mail.trim(), level },
    ...(sites !== undefined && { site_ids: sites }),
    ...(password !== "" && { password }),
  };
}

/** Only what differs, so that nothing is undone that somebody else changed meanwhile. */
export function changeOfPerson(before: Account, { name, mail, level, sites, password }: PersonForm): AccountChange {
  const ids = sites ?? null;
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(mail.trim() !== before.mail && { mail: mail.trim() }),
    ...(level !== before.level && { level }),
    ...(!isSame(ids, before.site_ids) && { site_ids: ids }),
    ...(password !== "" && { password }),
  };
}

function isSame(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((id) => other.includes(id));
}
