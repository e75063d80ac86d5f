import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const web = new URL('.', import.meta.url).pathname

const baseModules =
  /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store|clsx|@tanstack)[\\/](?!.*(useBlocker|useMutation|mutationObserver))/
const commonModules =
  /web[\\/]src[\\/](lib[\\/](api|app|hooks|search|session|tokens)|components[\\/](Button|Field|Mark))\.tsx?$/

export default defineConfig({
  root: web,
  plugins: [
    tanstackRouter({
      target: 'react',
      autoCodeSplitting: true,
      routesDirectory: `${web}src/routes`,
      generatedRouteTree: `${web}src/routeTree.gen.ts`,
      addExtensions: true,
      quoteStyle: 'single',
    }),
    react(),
    tailwindcss(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    target: 'es2023',
    // A strict content security policy: no inline polyfill, no data: scripts or styles.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // What every page needs, in two files: they compress better, and the larger stays cached between releases.
        codeSplitting: {
          groups: [
            { name: 'base', test: baseModules },
            { name: 'common', test: commonModules },
          ],
        },
      },
    },
  },
  resolve: {
    // React has had this hook of its own since 18: the shim is dead weight.
    alias: [
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: new URL('../node_modules/use-sync-external-store/with-selector.js', import.meta.url).pathname,
      },
      { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' },
    ],
    // Wallets bring other copies, which would land in what every page loads.
    dedupe: ['clsx', 'use-sync-external-store'],
  },
  server: { proxy: { '/api': 'http://localhost:3001' } },
})
