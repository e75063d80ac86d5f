// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Relay} from "../../src/Relay.sol";
import {Base} from "../base/Base.sol";

/// @dev Checks of the gas that the relay requires, for both kinds of batches.
abstract contract RelayTest is Base {
    /// @dev Calls the relay with too little gas, which must be refused, and then with just enough.
    /// @param needed The gas that must be left when the relay checks it.
    /// @return failed The bitmap of failed items.
    function callWithLeastGas(bytes memory data, uint256 needed) internal returns (uint256 failed) {
        (bool success, bytes memory result) = address(relay).call{gas: needed - 1}(data);
        vm.assertFalse(success, "executed with too little gas");
        vm.assertEq(bytes32(bytes4(result)), bytes32(Relay.NotEnoughGas.selector));
        uint256 available;
        uint256 reported;
        assembly ("memory-safe") {
            available := mload(add(result, 0x24))
            reported := mload(add(result, 0x44))
        }
        vm.assertEq(reported, needed);

        uint256 usedBeforeCheck = needed - 1 - available;
        (success, result) = address(relay).call{gas: needed + usedBeforeCheck}(data);
        vm.assertTrue(success, "refused with enough gas");
        return abi.decode(result, (uint256));
    }
}
