interface Named {
  readonly aliases: readonly string[];
}

/**
 * Finds a declaration by its id or an alias. Ids win, then the first declaration. Aliases are read once, when needed.
 */
export function byName<Declared extends Named>(
  declared: ReadonlyMap<string, Declared>,
): (name: string) => Declared | undefined {
  let aliases: Map<string, Declared> | undefined;
  return (name) => {
    const found = declared.get(name);
    if (found !== undefined) return found;
    aliases ??= aliasesOf(declared);
    return aliases.get(name);
  };
}

function aliasesOf<Declared extends Named>(declared: ReadonlyMap<string, Declared>): Map<string, Declared> {
  const found = new Map<string, Declared>();
  for (const one of declared.values()) {
    for (const alias of one.aliases) if (!found.has(alias)) found.set(alias, one);
  }
  return found;
}
