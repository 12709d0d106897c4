import type { Blueprint, Device } from "#client/resources.ts";
import type { ProfileSummary } from "#web/blueprints/manifest-tools.ts";
import type { ManifestWorkerClient } from "#web/blueprints/manifest-worker-client.ts";
import { openManifestTools, readBlueprints } from "#web/blueprints/read-blueprints.ts";

/** What the editor needs besides a package. Call it while a component is made: its worker ends with the component. */
export function useEditorData() {
  let blueprints = $state.raw<readonly Blueprint[]>();
  let devices = $state.raw<readonly Device[]>();
  let tools = $state.raw<ManifestWorkerClient>();
  let profiles = $state.raw<readonly ProfileSummary[]>([]);
  let error = $state.raw<unknown>();

  async function read(): Promise<void> {
    try {
      const found = await readBlueprints();
      blueprints = found.blueprints;
      devices = found.devices.toSorted((one, other) => one.name.localeCompare(other.name));
    } catch (caught) {
      error = caught;
    }
  }

  $effect(() => {
    void read();
    const opening = openManifestTools();
    opening.then(
      (opened) => {
        tools = opened.tools;
        profiles = opened.profiles;
      },
      (caught: unknown) => {
        error = caught;
      },
    );
    return () => {
      opening.then(
        (opened) => opened.tools.close(),
        () => {},
      );
    };
  });

  return {
    get blueprints() {
      return blueprints;
    },
    get devices() {
      return devices;
    },
    get tools() {
      return tools;
    },
    get profiles() {
      return profiles;
    },
    get error() {
      return error;
    },
    /** Reads blueprints and devices again. */
    read,
  };
}
