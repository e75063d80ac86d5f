/** @jsxImportSource preact */
import { render } from 'preact'
import { RecoveryPage } from './RecoveryPage.tsx'

/**
 * The way out that needs no server of ours: an owner's key and any RPC URL. One file (scripts/recovery.ts) that can be
 * opened from disk. It connects to the RPC URL only, and the key stays in the memory of this tab.
 */
render(<RecoveryPage />, document.body)
