/** What a text that a person wrote means, or why it is refused. */
export type Read<T> = { value: T } | { problem: string }

export const problemIn = (read: Read<unknown>): string | null => ('problem' in read ? read.problem : null)
export const valueIn = <T>(read: Read<T>): T | null => ('value' in read ? read.value : null)
