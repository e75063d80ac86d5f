// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {SendWindow} from "../src/SendWindow.sol";

/// @dev The functions of SendWindow that compute words. Tests call them here in order to use the production build and to
/// catch reverts.
contract SendWindowProbe {
    function open(uint64 limit, uint16 allowance, uint32 newEpoch) external pure returns (uint256) {
        return SendWindow.open(limit, allowance, newEpoch);
    }

    function consume(uint256 word, uint64 amount, uint64 nonce) external pure returns (uint256) {
        return SendWindow.consume(word, amount, nonce);
    }
}
