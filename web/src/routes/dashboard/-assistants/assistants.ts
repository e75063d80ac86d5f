/** The name that clients list the server under. */
const serverName = 'bursar'

export type Assistant = {
  name: string
  /** What to do, in the client's own words. */
  steps: string
  /** Opens the client with the URL filled in, or its settings. */
  link?: { label: string; href: string }
  /** A command for a terminal, or text for the client's settings. */
  code?: { what: string; text: string }
}

/** The shortest way to add the MCP server at `url` to each client, as its documentation describes it. */
export const assistants = (url: string): Assistant[] => [
  {
    // claude.com/docs/connectors/building/directory-vs-custom
    name: 'Claude',
    steps:
      'On the web, desktop and phone. Press Add, then Connect. By hand: Settings → Connectors → Add custom connector.',
    link: {
      label: 'Add to Claude',
      href: `https://claude.ai/customize/connectors?${new URLSearchParams({
        modal: 'add-custom-connector',
        connectorName: 'Bursar',
        connectorUrl: url,
      })}`,
    },
  },
  {
    // developers.openai.com/api/docs/guides/developer-mode
    name: 'ChatGPT',
    steps:
      'Settings → Apps → Advanced settings: turn on Developer mode. Then choose Create app, paste the URL, and choose OAuth.',
    link: { label: 'Open ChatGPT’s settings', href: 'https://chatgpt.com/#settings/Connectors' },
  },
  {
    // cursor.com/docs/mcp/install-links
    name: 'Cursor',
    steps: 'Press Install in Cursor, then Connect next to the server.',
    link: {
      label: 'Add to Cursor',
      href: `cursor://anysphere.cursor-deeplink/mcp/install?${new URLSearchParams({
        name: serverName,
        config: btoa(JSON.stringify({ url })),
      })}`,
    },
  },
  {
    // code.visualstudio.com/api/extension-guides/ai/mcp#mcp-url-handler
    name: 'VS Code',
    steps: 'Press Install, then start the server. It asks to open this site for sign-in.',
    link: { label: 'Add to VS Code', href: `vscode:mcp/install?${encodeURIComponent(vsCodeServer(url))}` },
    code: { what: 'command', text: `code --add-mcp '${vsCodeServer(url)}'` },
  },
  {
    // code.claude.com/docs/en/mcp
    name: 'Claude Code',
    steps: 'Run this command. Then type /mcp in Claude Code, choose bursar, and Authenticate.',
    code: { what: 'command', text: `claude mcp add --transport http ${serverName} ${url}` },
  },
  {
    // developers.openai.com/codex/mcp
    name: 'Codex',
    steps: `Run this command. It opens the browser by itself; if not, run codex mcp login ${serverName}.`,
    code: { what: 'command', text: `codex mcp add ${serverName} --url ${url}` },
  },
  {
    // github.com/google-gemini/gemini-cli, its page about MCP servers
    name: 'Gemini CLI',
    steps: `Run this command. Then type /mcp auth ${serverName} in Gemini CLI.`,
    code: { what: 'command', text: `gemini mcp add --transport http ${serverName} ${url}` },
  },
  {
    // npmjs.com/package/mcp-remote
    name: 'Apps that only start local programs',
    steps: 'Add this to the app’s list of MCP servers. mcp-remote opens the browser and keeps the connection.',
    code: {
      what: 'settings',
      text: JSON.stringify(
        { mcpServers: { [serverName]: { command: 'npx', args: ['-y', 'mcp-remote', url] } } },
        null,
        2,
      ),
    },
  },
]

/** The server as `code --add-mcp` takes it. */
function vsCodeServer(url: string): string {
  return JSON.stringify({ name: serverName, type: 'http', url })
}

/** Whether only programs on this computer can reach the URL. */
export const isOnThisComputer = (url: string) => ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname)
