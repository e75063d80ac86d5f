/** The colour of a status: success, in progress, failure, or none of them. */
export type Tone = 'good' | 'waiting' | 'bad' | 'neutral'
