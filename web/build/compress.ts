import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Fonts and pictures are compressed already. */
const TEXT = /\.(?:js|css|html|svg|json|txt|webmanifest)$/;
/** Below it, the headers of the answer weigh more. */
const SMALL = 512;

/** Writes each text once more as .br and .gz, so that the server never compresses anything. */
export function compress(): Plugin {
  return {
    name: "busbar-compress",
    apply: "build",
    writeBundle({ dir = "" }, bundle) {
      for (const file of Object.values(bundle)) {
        if (!TEXT.test(file.fileName)) continue;
        const content = Buffer.from(file.type === "chunk" ? file.code : file.source);
        if (content.length < SMALL) continue;
        const params = {
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
          [constants.BROTLI_PARAM_QUALITY]: isGroupOfIcons(file.fileName) ? 9 : 11,
        };
        writeFileSync(join(dir, `${file.fileName}.br`), brotliCompressSync(content, { params }));
        writeFileSync(join(dir, `${file.fileName}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}

/** Most of all texts, and few of them are ever loaded: the best quality would double the time of the build. */
function isGroupOfIcons(name: string): boolean {
  return name.startsWith("assets/icons-");
}
