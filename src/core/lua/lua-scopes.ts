// Which names a Lua text may use where: local variables, labels of goto, `break` and `...`, by the interpreter's rules.
import type { LuaLocal } from "./lua-syntax.ts";

export interface LuaScopes {
  enterFunction(isVariadic: boolean): void;
  leaveFunction(): void;
  enterBlock(isLoop: boolean): void;
  leaveBlock(): void;
  declare(local: LuaLocal): void;
  /** The innermost local of this name; undefined for a global. */
  find(name: string): LuaLocal | undefined;
  isVariadic(): boolean;
  isInLoop(): boolean;
  jump(label: string): void;
  /** `isLast`: only the end of its block follows, so no local is in its scope any more. */
  label(name: string, isLast: boolean): void;
}

interface BlockScope {
  readonly isLoop: boolean;
  readonly locals: LuaLocal[];
  readonly labels: string[];
  /** Locals of the function before the block. */
  readonly before: number;
  /** Jumps that have found no label yet, by name, with the fewest locals that one of them sees. */
  readonly jumps: Map<string, number>;
}

interface FunctionScope {
  readonly isVariadic: boolean;
  readonly blocks: BlockScope[];
  readonly labels: Set<string>;
  locals: number;
}

/** `fail` throws. */
export function createScopes(fail: (message: string) => never): LuaScopes {
  const functions: FunctionScope[] = [];
  const byName = new Map<string, LuaLocal[]>();
  const current = (): FunctionScope => functions.at(-1) ?? fail("there is no function");
  const block = (): BlockScope => current().blocks.at(-1) ?? fail("there is no block");

  function enterBlock(isLoop: boolean): void {
    const { blocks, locals } = current();
    blocks.push({ isLoop, locals: [], labels: [], before: locals, jumps: new Map() });
  }

  function leaveBlock(): void {
    const scope = current();
    const left = scope.blocks.pop();
    if (left === undefined) return;
    for (const { name } of left.locals) byName.get(name)?.pop();
    for (const name of left.labels) scope.labels.delete(name);
    scope.locals = left.before;
    const outer = scope.blocks.at(-1);
    for (const name of left.jumps.keys()) {
      if (outer === undefined) fail(`no label ${name} is visible for a goto`);
      // It has left the locals of the block.
      outer.jumps.set(name, Math.min(outer.jumps.get(name) ?? left.before, left.before));
    }
  }

  return {
    enterFunction(isVariadic) {
      functions.push({ isVariadic, blocks: [], labels: new Set(), locals: 0 });
      enterBlock(false);
    },
    leaveFunction() {
      leaveBlock();
      functions.pop();
    },
    enterBlock,
    leaveBlock,
    declare(local) {
      const known = byName.get(local.name);
      if (known === undefined) byName.set(local.name, [local]);
      else known.push(local);
      block().locals.push(local);
      current().locals += 1;
    },
    find: (name) => byName.get(name)?.at(-1),
    isVariadic: () => current().isVariadic,
    isInLoop: () => current().blocks.some(({ isLoop }) => isLoop),
    jump(label) {
      if (current().labels.has(label)) return;
      const { jumps } = block();
      jumps.set(label, Math.min(jumps.get(label) ?? current().locals, current().locals));
    },
    label(name, isLast) {
      const scope = current();
      const { jumps, before, labels } = block();
      if (scope.labels.has(name)) fail(`the label ${name} is already there`);
      const seen = jumps.get(name);
      if (seen !== undefined && seen < (isLast ? before : scope.locals)) {
        fail(`a goto to ${name} jumps into the scope of a local`);
      }
      jumps.delete(name);
      scope.labels.add(name);
      labels.push(name);
    },
  };
}
