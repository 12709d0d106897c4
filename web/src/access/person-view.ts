// What the list of people says, and what a form about a person asks for. Pure.
import type { Account, AccountChange, NewAccount, SiteLevel } from "#client/resources.ts";
import { ACCESS_LEVELS, type AccessLevel, allows } from "#core/access/level.ts";
import { passwordProblem } from "#core/access/password.ts";

export type PersonForm = {
  readonly name: string;
  readonly mail: string;
  readonly level: AccessLevel;
  /** Undefined: all sites. */
  readonly sites: readonly string[] | undefined;
  /** As they were chosen; those that say nothing are left out by `moreAtSites`. */
  readonly siteLevels: readonly SiteLevel[];
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

/** Of sites that the person sees, and where it is more than the level. */
export function moreAtSites({
  level,
  sites,
  siteLevels,
}: Pick<PersonForm, "level" | "sites" | "siteLevels">): readonly SiteLevel[] {
  const sees = (id: string) => sites === undefined || sites.includes(id);
  return siteLevels.filter((one) => sees(one.site_id) && !allows(level, one.level));
}

/** What a person can have at a site beyond the level, from somebody who has `held` there. */
export function levelsAbove(level: AccessLevel, held: AccessLevel): readonly AccessLevel[] {
  return ACCESS_LEVELS.filter((one) => one !== "system" && allows(held, one) && !allows(level, one));
}

export function newPersonBody(form: PersonForm): NewAccount {
  const { name, mail, level, sites, password } = form;
  const more = moreAtSites(form);
  return {
    ...{ name: name.trim(), mail: mail.trim(), level },
    ...(sites !== undefined && { site_ids: sites }),
    ...(more.length > 0 && { site_levels: more }),
    ...(password !== "" && { password }),
  };
}

/** Only what differs, so that nothing is undone that somebody else changed meanwhile. */
export function changeOfPerson(before: Account, form: PersonForm): AccountChange {
  const { name, mail, level, sites, password } = form;
  const ids = sites ?? null;
  const more = moreAtSites(form);
  // A level without those of single sites would end them.
  const changesMore = !isSameLevels(more, before.site_levels) || (level !== before.level && more.length > 0);
  return {
    ...(name.trim() !== before.name && { name: name.trim() }),
    ...(mail.trim() !== before.mail && { mail: mail.trim() }),
    ...(level !== before.level && { level }),
    ...(!isSame(ids, before.site_ids) && { site_ids: ids }),
    ...(changesMore && { site_levels: more }),
    ...(password !== "" && { password }),
  };
}

function isSameLevels(one: readonly SiteLevel[], other: readonly SiteLevel[]): boolean {
  const has = ({ site_id, level }: SiteLevel) => other.some((two) => two.site_id === site_id && two.level === level);
  return one.length === other.length && one.every(has);
}

function isSame(one: readonly string[] | null, other: readonly string[] | null): boolean {
  if (one === null || other === null) return one === other;
  return one.length === other.length && one.every((id) => other.includes(id));
}
