export declare const shout: (text: string) => string;
export declare const count: (text: string) => number;
