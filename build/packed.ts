/** Compresses the script and the style of the reference page in the executable. src/http/docs/docs.ts unpacks them. */
export const packedPlugin: Bun.BunPlugin = {
  name: 'packed',
  setup: (build) => {
    build.onLoad({ filter: /\/swagger-ui-dist\/[\w-]+\.(?:css|js)$/ }, async ({ path }) => ({
      contents: Bun.gzipSync(await Bun.file(path).bytes(), { level: 9 }),
      loader: 'file',
    }))
  },
}
