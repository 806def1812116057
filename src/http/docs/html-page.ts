/** An HTML page that loads only from this server, so that it works offline. `head` contains its styles. */
export function htmlPage(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)}</title>
<link rel="icon" href="/swagger/favicon.svg">
${head}
</head>
<body>
${body}
</body>
</html>
`
}
