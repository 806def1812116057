/**
 * Leaves out the theme of the page that the OpenAPI plugin would serve: ours is another, and a colour scheme that brings
 * a schema library along takes longer to load than the document to make.
 */
export const unservedPlugin: Bun.BunPlugin = {
  name: 'unserved',
  setup: (build) => {
    build.onResolve({ filter: /^@scalar\/themes$/ }, ({ path }) => ({
      path,
      namespace: 'unserved',
    }))
    build.onLoad({ filter: /./, namespace: 'unserved' }, () => ({
      contents: "export const elysiajsTheme = ''",
      loader: 'js',
    }))
  },
}
