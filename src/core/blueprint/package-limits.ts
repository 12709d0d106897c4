/** What a package may hold. The same numbers bind an uploaded zip, a folder on disk and the writer. Sizes are bytes. */
export const PACKAGE_LIMITS = {
  /** For the zip itself, and for a bare manifest: the largest body that the service accepts. */
  archiveBytes: 1024 * 1024,
  totalBytes: 16 * 1024 * 1024,
  fileBytes: 4 * 1024 * 1024,
  files: 500,
  /** Files and directories together: a zip may list directories too. */
  entries: 1000,
  pathLength: 240,
  pathDepth: 12,
  /** Unpacked to packed. Real text stays under 20; deflate can reach 1032. */
  ratio: 100,
  /** Files up to this size may be packed as tightly as they like. */
  ratioFloorBytes: 64 * 1024,
} as const;
