import { refuse } from "#core/app-error.ts";
import type { ScriptProgram } from "#core/lua/script-program.ts";
import { OWN_WORK } from "#core/share/requester.ts";
import type { Needs } from "#service/ports.ts";

const MAX_KNOWN = 200;

export interface ProgramCache {
  /** Refuses in words for the device's owner. */
  get(blueprintId: string): Promise<ScriptProgram>;
}

/**
 * The programs of blueprints, each built once: many devices share one, and a stored blueprint never changes. All
 * threads read the same copy.
 */
export function createProgramCache(needs: Pick<Needs, "blueprints" | "buildScripts">): ProgramCache {
  const known = new Map<string, Promise<ScriptProgram>>();
  return {
    get(blueprintId) {
      let entry = known.get(blueprintId);
      if (entry === undefined) {
        entry = build(needs, blueprintId);
        if (known.size >= MAX_KNOWN) for (const oldest of known.keys()) if (known.delete(oldest)) break;
        known.set(blueprintId, entry);
        // Something that is missing now, such as a rock, may be there later.
        entry.catch(() => known.delete(blueprintId));
      }
      return entry;
    },
  };
}

async function build(needs: Pick<Needs, "blueprints" | "buildScripts">, blueprintId: string): Promise<ScriptProgram> {
  const content = await needs.blueprints.content(blueprintId);
  if (content === undefined) throw refuse("not_found", `there is no blueprint ${blueprintId}`);
  const { program, issues } = await needs.buildScripts(content, OWN_WORK);
  if (program !== undefined) return shared(program);
  const errors = issues.filter(({ severity }) => severity === "error");
  const said = errors.map(({ path, range, message }) => `${path}:${range.start.line}: ${message}`);
  throw refuse("invalid_blueprint", said.length > 0 ? said.join(" ") : "the blueprint's package holds no script");
}

/** In memory that is not copied on the way to a thread. */
function shared(program: ScriptProgram): ScriptProgram {
  const modules = [...program.modules].map(([path, source]) => {
    const bytes = typeof source === "string" ? Buffer.from(source) : source;
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
    copy.set(bytes);
    return [path, copy] as const;
  });
  return { ...program, modules: new Map(modules) };
}
