import { PRACTISED_ROUTES } from './practice.ts'

// Everything the page loads comes from this server: it has to work with no network.
export const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference</title>
<link rel="icon" href="/swagger/favicon.svg">
<link rel="stylesheet" href="/swagger/style.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/swagger/bundle.js"></script>
<script src="/swagger/start.js"></script>
</body>
</html>
`

/**
 * Starts the page: groups folded, a search over them, the colours of the system. On an embedded venue a signed example
 * that nobody has changed is sent with a signature of now, since the one on the page may be old.
 */
export function startScript(documentPath: string, practises: boolean): string {
  return `const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
${practises ? PRACTISING : ''}SwaggerUIBundle({
  url: '${documentPath}',
  dom_id: '#swagger-ui',
  validatorUrl: null,
  docExpansion: 'none',
  filter: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: -1,
${practises ? '  requestInterceptor: renewed,\n  responseInterceptor: remembered,\n' : ''}})
`
}

const PRACTISING = `const practised = ${JSON.stringify(PRACTISED_ROUTES)}
const examples = new Map()
const remembered = (response) => {
  if (!response.url.endsWith('/swagger/json')) return response
  for (const [path, item] of Object.entries(response.body?.paths ?? {}))
    if (practised.includes(item.post?.operationId)) {
      const { example } = item.post.requestBody.content['application/json']
      examples.set(path, { id: item.post.operationId, text: JSON.stringify(example) })
    }
  return response
}
const renewed = async (request) => {
  const example = examples.get(new URL(request.url, location.href).pathname)
  if (!example || !request.body || JSON.stringify(JSON.parse(request.body)) !== example.text) return request
  const fresh = await fetch('/swagger/practice/' + example.id, { method: 'POST' })
  return fresh.ok ? { ...request, body: await fresh.text() } : request
}
`
