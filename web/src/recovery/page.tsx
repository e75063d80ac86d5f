/** @jsxImportSource preact */
import { render } from 'preact'
import { RecoveryPage } from './RecoveryPage.tsx'

/**
 * The recovery page. It needs none of our servers, only an owner's key and any RPC URL. It is built as one file that can
 * be opened from disk (scripts/recovery.ts), connects only to the RPC URL, and keeps the key in memory.
 */
render(<RecoveryPage />, document.body)
