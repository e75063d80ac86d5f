/**
 * A host's paper and ink are taken over only together (script.ts), and lighter colors are mixed from them, so that text stays
 * readable. Chips and the button keep ours. What people have written is clipped at its own box, whatever marks it stacks.
 */
export const style = `
:root { color-scheme: light; --paper: light-dark(#fff, #1b1d1a); --ink: light-dark(#1b1d1a, #f2f1ec); --font: system-ui, sans-serif }
* { box-sizing: border-box; margin: 0 }
html { background: var(--paper) }
body { color: var(--ink); font: 15px/1.5 var(--font); font-variant-numeric: tabular-nums }
main { display: grid; gap: 12px; max-width: 600px; padding: 16px }
header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 4px 12px }
h1, p, dd, li, code { min-width: 0; overflow: clip; overflow-wrap: anywhere }
h1 { font-size: 20px; font-weight: 600 }
span, button.quiet { background: light-dark(#efede6, #33362f); color: light-dark(#1b1d1a, #f2f1ec) }
span { border-radius: 14px; padding: 2px 10px; font-size: 13px }
.good { background: light-dark(#e6f1ea, #17382a); color: light-dark(#175538, #9adbb8) }
.wait { background: light-dark(#fbf0dc, #3d2e0c); color: light-dark(#7a4700, #f4cb7c) }
.bad { background: light-dark(#fbe9e7, #43201d); color: light-dark(#8f1e18, #f7b3ad) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; border-top: 1px solid color-mix(in srgb, var(--ink) 15%, var(--paper)); padding-top: 12px }
dl, ul, p { font-size: 13px }
:empty { display: none }
dt, p { color: color-mix(in srgb, var(--ink) 75%, var(--paper)) }
ul { list-style: none; padding: 0 }
li + li { margin-top: 4px }
button { justify-self: start; min-height: 44px; border: 0; border-radius: 8px; padding: 8px 16px; background: #1f6f4a; color: #fff; font: 600 15px var(--font) }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px }
code { user-select: all; font-size: 13px }
`
