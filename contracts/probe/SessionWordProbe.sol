// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SessionWord} from "../src/SessionWord.sol";

/// @dev The functions of SessionWord, in the production build.
contract SessionWordProbe {
    function pack(address sessionKey, uint40 until, uint256 granted, uint256 flags) external pure returns (uint256) {
        return SessionWord.pack(sessionKey, until, granted, flags);
    }

    function packGrants(uint256 day, uint256 amount) external pure returns (uint256) {
        return SessionWord.packGrants(day, amount);
    }

    function key(uint256 word) external pure returns (address) {
        return SessionWord.key(word);
    }

    function validUntil(uint256 word) external pure returns (uint40) {
        return SessionWord.validUntil(word);
    }

    function grants(uint256 word) external pure returns (uint256) {
        return SessionWord.grants(word);
    }

    function grantedOn(uint256 word, uint256 day) external pure returns (uint256) {
        return SessionWord.grantedOn(word, day);
    }

    function has(uint256 word, uint256 flag) external pure returns (bool) {
        return SessionWord.has(word, flag);
    }
}
