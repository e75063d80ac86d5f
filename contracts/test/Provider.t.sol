// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Provider} from "../src/Provider.sol";
import {Base} from "./base/Base.sol";

contract ProviderTest is Base {
    function testFuzz_setOperator_addsAndRemoves(address operator) public {
        vm.expectEmit(address(provider));
        emit Provider.OperatorSet(operator, true);
        vm.prank(ADMIN);
        provider.setOperator(operator, true);
        vm.assertTrue(provider.isOperator(operator) && provider.mayRotate(operator), "not added");

        vm.expectEmit(address(provider));
        emit Provider.OperatorSet(operator, false);
        vm.prank(ADMIN);
        provider.setOperator(operator, false);
        vm.assertFalse(provider.isOperator(operator) || provider.mayRotate(operator), "not removed");
    }

    function test_constructor_addsTheFirstOperator_unlessZero() public {
        vm.assertTrue(provider.isOperator(vm.addr(OPERATOR)), "not added");
        vm.assertEq(provider.owner(), ADMIN);
        Provider other = Provider(deploy("Provider", abi.encode(ADMIN, address(0))));
        vm.assertFalse(other.isOperator(address(0)), "added the zero address");
    }

    function test_pauseRotations_stopsEveryOperator() public {
        vm.expectEmit(address(provider));
        emit Provider.RotationsPaused();
        vm.prank(ADMIN);
        provider.pauseRotations();
        vm.assertTrue(provider.rotationsPaused(), "not paused");
        vm.assertTrue(provider.isOperator(vm.addr(OPERATOR)), "removed");
        vm.assertFalse(provider.mayRotate(vm.addr(OPERATOR)), "may rotate");

        vm.expectEmit(address(provider));
        emit Provider.RotationsUnpaused();
        vm.prank(ADMIN);
        provider.unpauseRotations();
        vm.assertTrue(provider.mayRotate(vm.addr(OPERATOR)), "still paused");
    }

    function testFuzz_adminFunctions_revert_whenNotTheOwner(address caller) public {
        vm.assume(caller != ADMIN);
        bytes memory reason = abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", caller);
        vm.expectRevert(reason);
        vm.prank(caller);
        provider.setOperator(caller, true);
        vm.expectRevert(reason);
        vm.prank(caller);
        provider.pauseRotations();
        vm.expectRevert(reason);
        vm.prank(caller);
        provider.unpauseRotations();
    }

    function test_ownership_isTransferredInTwoSteps() public {
        vm.prank(ADMIN);
        provider.transferOwnership(STRANGER);
        vm.assertEq(provider.owner(), ADMIN);
        vm.prank(STRANGER);
        provider.acceptOwnership();
        vm.assertEq(provider.owner(), STRANGER);
    }
}
