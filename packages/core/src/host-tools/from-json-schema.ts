// `fromJSONSchema` refers to every kind of schema. The build puts it into a separate file, so `@fenced/core/zod` stays a quarter smaller.
export { fromJSONSchema } from 'zod'
