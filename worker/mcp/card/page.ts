import { script } from './script.ts'
import { style } from './style.ts'

/** One file without libraries. Its own policy closes the network in hosts that don't. */
export const cardPage = (appOrigin: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>Bursar</title>
<style>${style}</style>
</head>
<body>
<main aria-live="polite"><p>Waiting for the result …</p></main>
<script>
const origin = '${new URL(appOrigin).origin}'${script.replace(/\n +/g, '\n')}</script>
</body>
</html>
`
