/** A status's color: success, in progress, failure or neutral. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral'
