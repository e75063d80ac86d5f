import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { recoveryPlugin } from '../scripts/recovery.ts'
import { preloads } from './preloads.ts'
import { sharedChunks } from './sharedChunks.ts'

const web = new URL('.', import.meta.url).pathname

const baseModules =
  /node_modules[\\/]((react|react-dom|scheduler|use-sync-external-store|@tanstack)[\\/](?!.*(useBlocker|useMutation|mutationObserver|nfiniteQuery))|clsx[\\/]dist[\\/]clsx\.mjs)/
const commonModules =
  /web[\\/]src[\\/](lib[\\/](api|app|queryClient|renewal|search|session|useAction|useTitle)|components[\\/](Button|Field|Links|Mark)|queries[\\/]config)\.tsx?$/

const mainModules =
  /web[\\/]src[\\/](main|lib[\\/](actingFor|apiError|http|storage|tokens))\.ts$|worker[\\/]domain[\\/]words\.ts$|vite[\\/]preload-helper/

/** Those of the first figures that no claim page needs. */
const figureModules = /web[\\/]src[\\/]firstFigures\.ts$/

const dashboardChunks = sharedChunks()

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
    preloads(),
    dashboardChunks.plugin,
    recoveryPlugin(),
  ],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    sourcemap: false,
    target: 'es2023',
    // The content security policy allows no inline polyfill and no data: scripts or styles.
    modulePreload: {
      polyfill: false,
      // These would name all files of all pages, for sign-in and claim too. The file _headers names those of the page
      // that is opened (preloads.ts); those of another page start to load when the pointer is on its link.
      resolveDependencies: (_, files, { hostId }) => (/\b(main|app)-[\w-]+\.js$/.test(hostId) ? [] : files),
    },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // The app names every file that a route needs, so short names keep it small. Files that are loaded on demand
        // keep their names, which makes the network log readable.
        chunkFileNames: ({ isDynamicEntry, name }) =>
          `assets/${isDynamicEntry || name === 'main' ? '[name]-' : ''}[hash:7].js`,
        // Code that every page needs, in two files, which compress better; the larger one stays cached between releases.
        codeSplitting: {
          groups: [
            { name: 'base', test: baseModules },
            // src/main.ts and what it needs: a page runs it while the rest is loading (preloads.ts).
            { name: 'main', test: mainModules },
            { name: 'figures', includeDependenciesRecursively: false, test: figureModules },
            { name: 'common', test: commonModules },
            // One file instead of sixty.
            { name: 'icons', test: /node_modules[\\/]lucide-react[\\/]/ },
            // Shared by sign-in and dashboard.
            {
              name: 'fields',
              test: /web[\\/]src[\\/]components[\\/](AccountFrame|PasswordInput)\.tsx$|worker[\\/]domain[\\/]emailFormat\.ts$/,
            },
            // Shared by claim, dashboard and the first figures.
            {
              name: 'amounts',
              test: /web[\\/]src[\\/](lib[\\/](answerStorage|decimals|networks|messageOrThrown|moment)|queries[\\/]apiWords)\.ts$|worker[\\/]domain[\\/](time|readers[\\/]digits)\.ts$/,
            },
            { name: 'format', test: /web[\\/]src[\\/]lib[\\/]format\.ts$/ },
            // Small ones that the overview shares with other pages and dialogs.
            {
              name: 'parts',
              includeDependenciesRecursively: false,
              test: /worker[\\/]domain[\\/](capitalized|namesText)\.ts$|web[\\/]src[\\/](components[\\/](Timeline|TransactionParts|charts[\\/]scale)|routes[\\/]dashboard[\\/]-overview[\\/](steps|widgets))\.tsx?$/,
            },
            ...dashboardChunks.groups,
          ],
        },
      },
    },
  },
  resolve: {
    // React has this hook since version 18, so the shim is not needed.
    alias: [
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: new URL('../node_modules/use-sync-external-store/with-selector.js', import.meta.url).pathname,
      },
      { find: /^use-sync-external-store\/shim(\/index\.js)?$/, replacement: 'react' },
    ],
    // Wallet libraries depend on other versions, which would end up in code that every page loads.
    dedupe: ['clsx', 'use-sync-external-store'],
  },
  server: { proxy: { '/api': 'http://localhost:3001' } },
})
